-- no transaction
-- What counts, too: with the column itself in it, PostgreSQL need not look into the table.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "admin_users_by_joined" ON "users" ("role", (("suspended_at" IS NULL)::int), "created_at", "id") INCLUDE ("suspended_at");
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "admin_users_by_created";
