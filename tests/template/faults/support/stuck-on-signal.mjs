// Preloaded into a node (--import): SIGUSR2 blocks its main thread for STUCK_MS milliseconds.
const held = new Int32Array(new SharedArrayBuffer(4))

process.on('SIGUSR2', () => Atomics.wait(held, 0, 0, Number(process.env.STUCK_MS)))
