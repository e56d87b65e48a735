import { expect, test } from 'vitest'
import { editorUrl } from './editor-link'

test('a link to the editor has the whole path of the file, escaped for a URL', () => {
  // On Windows the path begins with a drive.
  expect(editorUrl('src/app/(landing)/page.tsx', '/home/ada/my app')).toMatch(
    /^vscode:\/\/file\/([A-Z]:\/)?home\/ada\/my%20app\/src\/app\/\(landing\)\/page\.tsx$/,
  )
})
