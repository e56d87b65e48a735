export const views = ['write', 'split', 'preview'] as const
export type View = (typeof views)[number]

/** The view that `?view=` of the editor chooses. Split shows the preview only where there is room for both. */
export const readView = (value: unknown): View => views.find((view) => view === value) ?? 'split'

/** The id of the menu that publishes. */
export const publishMenuId = 'publish-menu'
