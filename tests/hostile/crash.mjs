// Loaded into a node before anything else (--import): a bug that nobody catches, when it is asked for.
process.on('SIGUSR2', () => void Promise.reject(new Error('a promise that nobody waits for')))
process.on('SIGWINCH', () =>
  setTimeout(() => {
    throw new Error('an exception that was planted')
  }),
)
