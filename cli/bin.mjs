#!/usr/bin/env node
// Plain JavaScript that any Node can parse, so that an old version gets this message.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major > 20 || (major === 20 && minor >= 12)) await import('./main.mjs')
else {
  process.stderr.write(
    `create-plinth needs Node 20.12 or newer, but this is ${process.versions.node}. Install a current Node first.\n`,
  )
  process.exitCode = 1
}
