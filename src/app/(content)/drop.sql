DROP FUNCTION IF EXISTS "content_search"(regconfig, text, integer);--> statement-breakpoint
DROP TABLE IF EXISTS "content_image_uses", "content_image_files", "content_images", "content_previews", "content_covers", "content_slugs", "content_tags", "content_published", "content_revisions", "content_posts";--> statement-breakpoint
DROP FUNCTION IF EXISTS "content_keep_revision"();
