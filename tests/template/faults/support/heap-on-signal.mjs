// Preloaded into a node (--import): on SIGUSR2 it runs the garbage collector and prints the used heap size.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const clean = runInNewContext('gc')

process.on('SIGUSR2', () => {
  clean()
  clean()
  process.stdout.write(`holds ${process.memoryUsage().heapUsed} bytes\n`)
})
