export const rowMenuId = 'row-menu'
