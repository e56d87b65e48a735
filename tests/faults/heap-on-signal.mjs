// Loaded into a node before anything else (--import): SIGUSR2 makes it clean up and say how much it still holds.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const clean = runInNewContext('gc')

process.on('SIGUSR2', () => {
  clean()
  clean()
  process.stdout.write(`holds ${process.memoryUsage().heapUsed} bytes\n`)
})
