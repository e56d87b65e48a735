/** The people a development database starts with, one for each role. Production refuses to start with them. */
export const seedPeople = [
  { email: 'admin@example.com', name: 'Ada Admin', role: 'admin' },
  { email: 'editor@example.com', name: 'Edith Editor', role: 'editor' },
  { email: 'viewer@example.com', name: 'Victor Viewer', role: 'viewer' },
] as const
