-- no transaction
-- Every statement can run again, if one of them fails. The default is the app itself, so existing rows need no rewrite.
ALTER TABLE "content_posts" ADD COLUMN IF NOT EXISTS "scope_id" uuid DEFAULT coalesce(scope_id(), '00000000-0000-0000-0000-000000000000'::uuid) NOT NULL;--> statement-breakpoint
ALTER TABLE "content_revisions" ADD COLUMN IF NOT EXISTS "scope_id" uuid DEFAULT coalesce(scope_id(), '00000000-0000-0000-0000-000000000000'::uuid) NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "content_posts_scope_key" ON "content_posts" USING btree ("scope_id","id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "content_posts_scope_updated_idx" ON "content_posts" USING btree ("scope_id","updated_at","id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "content_posts_scope_status_idx" ON "content_posts" USING btree ("scope_id","status","updated_at","id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "content_posts_scope_author_idx" ON "content_posts" USING btree ("scope_id","author_id","updated_at","id");--> statement-breakpoint
ALTER TABLE "content_posts" DROP CONSTRAINT IF EXISTS "content_posts_scope_id_scopes_id_fk";--> statement-breakpoint
ALTER TABLE "content_posts" ADD CONSTRAINT "content_posts_scope_id_scopes_id_fk" FOREIGN KEY ("scope_id") REFERENCES "public"."scopes"("id") ON DELETE cascade ON UPDATE no action NOT VALID;--> statement-breakpoint
ALTER TABLE "content_revisions" DROP CONSTRAINT IF EXISTS "content_revisions_scope_id_scopes_id_fk";--> statement-breakpoint
ALTER TABLE "content_revisions" ADD CONSTRAINT "content_revisions_scope_id_scopes_id_fk" FOREIGN KEY ("scope_id") REFERENCES "public"."scopes"("id") ON DELETE cascade ON UPDATE no action NOT VALID;--> statement-breakpoint
ALTER TABLE "content_revisions" DROP CONSTRAINT IF EXISTS "content_revisions_scope_fk";--> statement-breakpoint
ALTER TABLE "content_revisions" ADD CONSTRAINT "content_revisions_scope_fk" FOREIGN KEY ("scope_id","post_id") REFERENCES "public"."content_posts"("scope_id","id") ON DELETE cascade ON UPDATE no action NOT VALID;--> statement-breakpoint
ALTER TABLE "content_posts" VALIDATE CONSTRAINT "content_posts_scope_id_scopes_id_fk";--> statement-breakpoint
ALTER TABLE "content_revisions" VALIDATE CONSTRAINT "content_revisions_scope_id_scopes_id_fk";--> statement-breakpoint
ALTER TABLE "content_revisions" VALIDATE CONSTRAINT "content_revisions_scope_fk";--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "content_posts_updated_at_idx";--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "content_posts_status_idx";
--> statement-breakpoint
-- Checked at the end of the transaction: deleting an organization deletes versions and what is published in any order.
ALTER TABLE "content_published" ALTER CONSTRAINT "content_published_revision_fk" DEFERRABLE INITIALLY DEFERRED;
