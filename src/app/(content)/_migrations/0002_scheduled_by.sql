ALTER TABLE "content_posts" ADD COLUMN "scheduled_by" uuid;--> statement-breakpoint
ALTER TABLE "content_posts" ADD CONSTRAINT "content_posts_scheduled_by_users_id_fk" FOREIGN KEY ("scheduled_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "content_posts_scheduled_by_idx" ON "content_posts" USING btree ("scheduled_by") WHERE scheduled_by is not null;--> statement-breakpoint
-- The audit log knows who scheduled what is waiting.
UPDATE "content_posts" SET "scheduled_by" = (
  SELECT "users"."id" FROM "audit_events" JOIN "users" ON "users"."id" = "audit_events"."actor_id"
  WHERE "audit_events"."kind" = 'post.scheduled' AND "audit_events"."details"->>'post' = "content_posts"."id"::text
  ORDER BY "audit_events"."id" DESC LIMIT 1
) WHERE "scheduled" IS NOT NULL;--> statement-breakpoint
DELETE FROM "content_previews" USING "users" WHERE "users"."id" = "created_by" AND "users"."suspended_at" IS NOT NULL;
