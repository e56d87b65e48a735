DROP TRIGGER IF EXISTS "admin_keep_terms" ON "users";--> statement-breakpoint
DROP FUNCTION IF EXISTS "admin_keep_terms"();--> statement-breakpoint
DROP FUNCTION IF EXISTS "admin_terms_of"(text, text);--> statement-breakpoint
DROP INDEX IF EXISTS "admin_users_by_joined", "admin_users_by_name", "admin_users_by_email", "admin_users_by_seen";--> statement-breakpoint
DROP TABLE IF EXISTS "admin_import_rows", "admin_imports", "admin_terms", "admin_invitations", "admin_days";
