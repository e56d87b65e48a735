/**
 * With --help, prints how to call this script and exits. Plain JavaScript, because the doctor uses it with any Node.
 * @param {string} usage
 * @returns {void}
 */
export function showUsage(usage) {
  if (!process.argv.includes('--help')) return
  console.log(`Usage: ${usage}`)
  process.exit(0)
}
