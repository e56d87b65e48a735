import { AppError } from '../errors'

/** The maximum duration of a stream. A slower caller is cut off, so that it does not hold resources for longer. */
const maxStreamMs = 10 * 60_000

interface StreamOptions {
  /** The signal of the request: Next never cancels the body if the caller disconnected before it began. */
  signal: AbortSignal
  /** Called exactly once: on success, error, abort or timeout. */
  onEnd?: () => void
  maxMs?: number
}

/**
 * A response body that is generated with backpressure. Stops when the caller disconnects or is too slow.
 * @public For modules with long responses.
 */
export function streamBody(
  chunks: AsyncGenerator<Uint8Array>,
  { signal, onEnd, maxMs = maxStreamMs }: StreamOptions,
): ReadableStream<Uint8Array> {
  let isOver = false
  const end = () => {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    signal.removeEventListener('abort', fail)
    onEnd?.()
    // Runs after the current chunk is done. There is no one left to report an error to.
    chunks.return(undefined).catch(() => {})
  }
  let controller: ReadableStreamDefaultController<Uint8Array>
  const fail = () => {
    // By this name Next knows that nothing is wrong, and logs nothing.
    controller.error(new DOMException('the caller disconnected, was too slow or lost the permission', 'AbortError'))
    end()
  }
  const timer = setTimeout(() => fail(), maxMs)
  timer.unref()
  return new ReadableStream(
    {
      start: (given) => {
        controller = given
        if (signal.aborted) fail()
        else signal.addEventListener('abort', fail)
      },
      pull: async () => {
        try {
          const { value, done } = await chunks.next()
          if (isOver) return
          if (!done) return controller.enqueue(value)
          controller.close()
        } catch (error) {
          // The caller lost the permission meanwhile: no error of the app.
          if (error instanceof AppError && error.status < 500) return fail()
          controller.error(error)
        }
        end()
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}
