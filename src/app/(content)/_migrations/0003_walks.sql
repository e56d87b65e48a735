-- no transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "content_revisions_author_idx" ON "content_revisions" USING btree ("author_id","post_id","number");--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "content_revisions_author_id_idx";--> statement-breakpoint
-- A picture in a text is a cover. Of any other, posts that were published before this keep the words.
UPDATE "content_published" SET "html" = regexp_replace("html", '<img src="(?!/posts/covers/[\w-]+")[^"]*" alt="([^"]*)"[^>]*>', '\1', 'g')
  WHERE "html" LIKE '%<img %';
