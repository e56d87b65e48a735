// Imported by scripts in plain Node.
import type { ClientBase } from 'pg'

/**
 * The role that a transaction switches to when it enters a scope. Row-level security applies to it alone: a superuser, the owner
 * of the tables and a login with BYPASSRLS would see every row under plain policies, and backups and migrations must.
 */
export const scopedRole = 'app_scoped'

const createRole = `do $$ begin
  if not exists (select from pg_roles where rolname = '${scopedRole}') then create role ${scopedRole} nologin; end if;
exception when duplicate_object or unique_violation then null; end $$`

/** PostgreSQL 16 and later: the login may switch to the role, but does not have its restrictions otherwise. */
const grantRole = `do $$ begin
  if current_setting('server_version_num')::int >= 160000 then
    if not pg_has_role(current_user, '${scopedRole}', 'SET') then
      execute format('grant ${scopedRole} to %I with inherit false, set true', current_user);
    end if;
  elsif not pg_has_role(current_user, '${scopedRole}', 'MEMBER') then
    execute format('grant ${scopedRole} to %I', current_user);
  end if;
end $$`

const privileges = 'select, insert, update, delete'

/** What the app may do in a scope: all that it may do outside, except for the rows of other scopes. */
const grantsOn = (schema: string) => [
  `grant usage on schema ${schema} to ${scopedRole}`,
  `grant ${privileges} on all tables in schema ${schema} to ${scopedRole}`,
  `grant usage, select on all sequences in schema ${schema} to ${scopedRole}`,
  `alter default privileges in schema ${schema} grant ${privileges} on tables to ${scopedRole}`,
  `alter default privileges in schema ${schema} grant usage, select on sequences to ${scopedRole}`,
]

/** Tables whose column `scope_id` refers to `scopes`, and which have no policies yet. */
const findUnwalled = `select table_class.oid::regclass::text as name
  from pg_constraint
  join pg_class as table_class on table_class.oid = conrelid
  join pg_attribute on attrelid = conrelid and attnum = conkey[1] and attname = 'scope_id'
  where contype = 'f' and confrelid = 'scopes'::regclass and array_length(conkey, 1) = 1
    and not (relrowsecurity and exists (select from pg_policy where polrelid = conrelid and polname = 'scope_wall'))`

/**
 * Sets up row-level security between scopes on every tenant table. Runs after every migration and changes nothing if all of it
 * exists. Returns the tables that got it, or throws if the login may not create the role.
 */
export async function buildScopeWall(client: ClientBase, schemas: string[]): Promise<string[]> {
  await client.query(createRole)
  await client.query(grantRole)
  for (const schema of schemas) for (const statement of grantsOn(schema)) await client.query(statement)
  const { rows } = await client.query<{ name: string }>(findUnwalled)
  for (const { name } of rows) {
    await client.query(`
      drop policy if exists scope_everyone on ${name};
      drop policy if exists scope_wall on ${name};
      create policy scope_everyone on ${name} using (true);
      create policy scope_wall on ${name} as restrictive to ${scopedRole} using (scope_id = scope_id());
      alter table ${name} enable row level security`)
  }
  return rows.map(({ name }) => name)
}

/**
 * Why row-level security would not work; null if it does. Switching to the role is tried. A table that a pending migration will
 * create has no rows to keep apart.
 */
export async function findWallProblem(
  client: Pick<ClientBase, 'query'>,
  tenantTables: string[],
): Promise<string | null> {
  const { rows } = await client.query<{ name: string; isWalled: boolean }>(
    `select name, exists (
       select from pg_policy join pg_class on pg_class.oid = polrelid
       where polrelid = to_regclass(name) and polname = 'scope_wall' and relrowsecurity) as "isWalled"
     from unnest($1::text[]) as name where to_regclass(name) is not null`,
    [tenantTables],
  )
  if (tenantTables.length > 0 && rows.length === 0) return null
  const open = rows.filter(({ isWalled }) => !isWalled)
  if (open.length > 0) return `row-level security is missing on ${open.map(({ name }) => name).join(', ')}`
  try {
    // Until the statement ends, which is a transaction of its own.
    await client.query(`select set_config('role', $1, true)`, [scopedRole])
    return null
  } catch (error) {
    return `the login of the app cannot switch to the role ${scopedRole}: ${error instanceof Error ? error.message : error}`
  }
}
