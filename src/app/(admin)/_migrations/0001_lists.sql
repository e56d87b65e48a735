-- no transaction
-- One index for each order of the list. Each begins with role and status, so that narrowing the list to one of them, or to
-- both, stays a walk along the index; without a filter there are six such walks, and none grows with the table.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "admin_users_by_created" ON "users" ("role", (("suspended_at" IS NULL)::int), "created_at", "id");
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "admin_users_by_name" ON "users" ("role", (("suspended_at" IS NULL)::int), (lower("name") COLLATE "C"), "id");
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "admin_users_by_email" ON "users" ("role", (("suspended_at" IS NULL)::int), (lower("email") COLLATE "C"), "id");
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "admin_users_by_seen" ON "users" ("role", (("suspended_at" IS NULL)::int), (coalesce("last_seen_at", timestamptz 'epoch')), "id");
