/** Where the editor calls the API: of the app itself, or of an organization. */
export const editorApi = (scope: string | undefined) => (scope ? `/api/o/${scope}/content` : '/api/content')
