// Loaded into a node before anything else (--import): SIGUSR2 keeps its only thread busy for so many milliseconds.
const held = new Int32Array(new SharedArrayBuffer(4))

process.on('SIGUSR2', () => Atomics.wait(held, 0, 0, Number(process.env.STUCK_MS)))
