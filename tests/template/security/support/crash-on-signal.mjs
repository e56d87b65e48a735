// Preloaded into a node (--import): throws an uncaught error on request, by signal.
process.on('SIGUSR2', () => void Promise.reject(new Error('an unhandled rejection on request')))
process.on('SIGWINCH', () =>
  setTimeout(() => {
    throw new Error('an uncaught exception on request')
  }),
)
