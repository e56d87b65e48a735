import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The URL that opens a file of the project in VS Code. */
export const editorUrl = (path: string, root = process.cwd()) =>
  pathToFileURL(join(root, path)).href.replace(/^file:\/{2}/, 'vscode://file')

/** A file of the project, as a link that opens it in the editor. */
export function EditorLink({ path }: { path: string }) {
  return (
    <a href={editorUrl(path)} className="wrap-anywhere font-mono text-xs underline underline-offset-4">
      {path}
    </a>
  )
}
