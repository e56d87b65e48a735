/** The people a development database starts with, one for each role. Production does not start while they are in it. */
export const seedPeople = [
  { email: 'admin@example.com', name: 'Ada Admin', role: 'admin' },
  { email: 'editor@example.com', name: 'Edith Editor', role: 'editor' },
  { email: 'viewer@example.com', name: 'Victor Viewer', role: 'viewer' },
] as const
