// Generated users for tests/template/bench/users.ts.
import type pg from 'pg'

// Skewed like real names: of some 240 first names, one user in fifteen has the first.
const firstNames = `
  Mary James Anna John Maria Michael Elena Thomas Sarah David Laura Daniel Julia Robert Sofia Peter Emma Paul Alice Andreas
  Nina Martin Clara Stefan Lena Mark Eva Simon Helen George Ruth Frank Irene Victor Diana Oscar Amelia Felix Nora Leo
  Grace Henry Lucy Arthur Ivy Walter Rose Oliver Ella Hugo Ada Jack Mia Samuel Zoe Adam Chloe Noah Lily Lucas
  Hannah Ethan Isabel Liam Olivia Mason Ava Logan Charlotte Jacob Harper William Evelyn Benjamin Abigail Alexander Emily
  Sebastian Elizabeth Jackson Camila Aiden Luna Owen Penelope Carter Layla Wyatt Riley Julian Nathan Stella Caleb Violet
  Isaac Aurora Gabriel Savannah Anthony Audrey Dylan Brooklyn Lincoln Bella Jaxon Claire Asher Skylar Christopher Paisley
  Josiah Everly Andrew Caroline Theodore Genesis Joshua Emilia Ezra Kennedy Hudson Samantha Charles Maya Willow Kinsley
  Naomi Aaliyah Eliana Ariana Gabriella Allison Jonathan Piper Christian Serenity Jose Madelyn Maverick Cora Kevin Quinn
  Tyler Jade Xavier Mateo Delilah Ryan Reagan Nicholas Peyton Ian Rylee Kai Melanie Silas Mackenzie Eli Liliana Aaron
  Hailey Adrian Kaylee Jordan Arianna Easton Natalia Bryson Valentina Rowan Eloise Angel Isla Brandon Eliza Sawyer Teagan
  Roman Daisy Kayden Juniper Declan Ximena Jason Georgia Zachary Ruby Austin Melody Chase Alina Cooper Esther Nolan Freya
  Parker Margot Kingston Vivian Damian Jocelyn Ayden Lydia Weston Iris Bentley Sienna Greyson Teresa Ashton Norma Micah
  Yusuf Fatima Omar Aisha Wei Mei Hiroshi Yuki Raj Priya Arjun Ananya Kwame Amara Olga Ivan Dmitri Katya Lars Ingrid
`
  .trim()
  .split(/\s+/)

const lastNames = `
  Smith Garcia Miller Brown Schmidt Jones Martinez Wilson Anderson Taylor Moore Lee Weber Clark Adams Lopez Hill Scott Baker
  Young King Wright Green Allen Novak Rossi Silva Meyer Fischer Wagner Becker Schulz Hoffmann Koch Bauer Richter Klein Wolf
  Neumann Schwarz Zimmermann Braun Hofmann Hartmann Lange Krause Werner Lehmann Walter Maier Kaiser Fuchs Peters Lang Scholz
  Jung Hahn Keller Vogel Friedrich Gunther Berger Winkler Roth Beck Lorenz Baumann Franke Albrecht Schuster Simon Ludwig
  Bohm Winter Kraus Martin Schumacher Kramer Vogt Stein Jager Otto Sommer Gross Seidel Heinrich Brandt Haas Schreiber Graf
  Dietrich Ziegler Kuhn Pohl Engel Horn Busch Bergmann Thomas Voigt Sauer Arnold Pfeiffer Johnson Williams Davis Rodriguez
  Hernandez Gonzalez Jackson Perez Thompson White Harris Sanchez Ramirez Lewis Robinson Walker Torres Nguyen Flores Rivera
  Campbell Mitchell Carter Roberts Gomez Phillips Evans Turner Diaz Parker Cruz Edwards Collins Reyes Stewart Morris Morales
  Murphy Cook Rogers Gutierrez Ortiz Morgan Cooper Peterson Bailey Reed Kelly Howard Ramos Kim Cox Ward Richardson Watson
  Brooks Chavez Wood James Bennett Gray Mendoza Ruiz Hughes Price Alvarez Castillo Sanders Patel Myers Long Ross Foster
  Jimenez Powell Jenkins Perry Russell Sullivan Bell Coleman Butler Henderson Barnes Fisher Vasquez Simmons Romero Jordan
  Patterson Alexander Hamilton Graham Reynolds Griffin Wallace Moreno West Cole Hayes Bryant Herrera Gibson Ellis Tran Medina
  Aguilar Stevens Murray Ford Castro Marshall Owens Harrison Fernandez McDonald Woods Washington Kennedy Wells Vargas Henry
  Chen Freeman Webb Tucker Guzman Burns Crawford Olson Simpson Porter Hunter Gordon Mendez Silverman Tanaka Suzuki Yamamoto
`
  .trim()
  .split(/\s+/)

/** The number of matches for each of these is independent of the table size, so that result pages are equally full. */
export const rare = { name: 'Quirin Xylander', users: 40, admins: 300, suspendedAdmins: 40 }

/** Inserts users `from` to `to`. INSERT SELECT, not COPY: `pg` needs another package for COPY, and this is faster. */
export async function addUsers(client: pg.Client, from: number, to: number): Promise<void> {
  await client.query({
    // Ordered by id, so that each batch writes the pages of the primary key in order.
    text: `insert into users (id, email, name, role, suspended_at, last_seen_at, created_at)
      select gen_random_uuid() as id,
        lower(case
          when manner < 0.5 then first || '.' || last || i
          when manner < 0.8 then left(first, 1) || last || i
          else substr(md5(i::text), 1, 6) || i
        end) || '@example.' || (array['com', 'org', 'net'])[1 + i % 3],
        case when i <= ${rare.users} then '${rare.name}' else first || ' ' || last end,
        case when i <= ${rare.admins} or luck < 0.0001 then 'admin' when luck < 0.0101 then 'editor' else 'viewer' end,
        case when i between ${rare.users} and ${rare.users + rare.suspendedAdmins} or fate < 0.02 then now() end,
        case when presence < 0.5 then now() - age * interval '1 year' end,
        now() - age * interval '5 years'
      from (
        select i, random() as luck, random() as fate, random() as manner, random() as presence,
          random() as age,
          ($3::text[])[1 + floor(power(random(), 2) * ${firstNames.length})] as first,
          ($4::text[])[1 + floor(power(random(), 2) * ${lastNames.length})] as last
        from generate_series($1::int, $2::int) as i
      ) as made order by id`,
    values: [from, to, firstNames, lastNames],
  })
}

/** Constraints and indexes to drop before the import and recreate after it, which is faster than maintaining them per row. */
const constraintsAndIndexes = `
  select format('alter table %s drop constraint %I', conrelid::regclass, conname) as away,
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as back
  from pg_constraint where conrelid = 'admin_terms'::regclass
  union all
  select format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
  from pg_index where indrelid in ('users'::regclass, 'admin_terms'::regclass)
    and not exists (select 1 from pg_constraint where conindid = indexrelid)`

export async function fill(client: pg.Client, count: number): Promise<void> {
  await client.query("set synchronous_commit = off; set maintenance_work_mem = '1GB'; select setseed(0.5)")
  const { rows } = await client.query<{ away: string; back: string }>(constraintsAndIndexes)
  for (const { away } of rows) await client.query(away)
  await client.query('alter table users disable trigger admin_keep_terms')
  const batch = 500_000
  for (let from = 1; from <= count; from += batch) await addUsers(client, from, Math.min(from + batch - 1, count))
  await client.query(`insert into admin_terms (user_id, term, shared, role, is_active)
    select id, term, shared, role, suspended_at is null from users, admin_terms_of(email, name)`)
  for (const { back } of rows) await client.query(back)
  await client.query('alter table users enable trigger admin_keep_terms')
  await client.query('vacuum (analyze) users')
  await client.query('vacuum (analyze) admin_terms')
}

const withoutModule = `do $$ declare name text; begin
  for name in select indexname from pg_indexes where tablename = 'users' and indexname like 'admin\\_%' loop
    execute 'drop index ' || quote_ident(name);
  end loop;
  alter table users disable trigger admin_keep_terms;
end $$`

/** Microseconds and bytes of WAL per row, the median of three runs; each run is rolled back. */
async function costOf(client: pg.Client, before: string, rows: number, write: () => Promise<unknown>): Promise<string> {
  const costs: { time: number; bytes: number }[] = []
  for (let round = 0; round < 3; round++) {
    await client.query(`begin; ${before}`)
    const start = performance.now()
    const log = await client.query<{ at: string }>('select pg_current_wal_insert_lsn() as at')
    await write()
    const { rows: walRows } = await client.query<{ bytes: string }>(
      'select pg_current_wal_insert_lsn() - $1::pg_lsn as bytes',
      [log.rows[0]?.at],
    )
    costs.push({ time: performance.now() - start, bytes: Number(walRows[0]?.bytes) })
    await client.query('rollback')
  }
  const median = (key: 'time' | 'bytes') => costs.map((cost) => cost[key]).toSorted((a, b) => a - b)[1] ?? 0
  return `${((median('time') * 1000) / rows).toFixed(0)}, ${(median('bytes') / rows).toFixed(0)}`
}

/** Cost of writing a row, with and without the indexes and the trigger of the admin module. */
export async function measureWrites(client: pg.Client, count: number): Promise<void> {
  const { rows: sampled } = await client.query<{ id: string }>(
    `select distinct found.id from generate_series(1, 5000) as place,
       lateral (select id from users where id > md5(place::text)::uuid order by id limit 1) as found`,
  )
  const ids = sampled.map(({ id }) => id)
  const added = 20_000
  const firstNewNumber = 1_000_000_000
  const writes = [
    { name: 'insert a user', rows: added, write: () => addUsers(client, firstNewNumber + 1, firstNewNumber + added) },
    {
      name: 'update last_seen_at',
      rows: ids.length,
      write: () => client.query('update users set last_seen_at = now() where id = any($1)', [ids]),
    },
  ]
  for (const { name, rows, write } of writes) {
    const costs = [await costOf(client, '', rows, write), await costOf(client, withoutModule, rows, write)]
    console.log(`| ${[name, count, ...costs].join(' | ')} |`)
  }
}
