CREATE TABLE "scopes" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
-- The app itself.
INSERT INTO "scopes" ("id") VALUES ('00000000-0000-0000-0000-000000000000');--> statement-breakpoint
-- The scope that the transaction has entered. After a transaction the setting is empty, not null.
CREATE FUNCTION "scope_id"() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT nullif(current_setting('app.scope_id', true), '')::uuid
$$;--> statement-breakpoint
ALTER TABLE "audit_events" ADD COLUMN "scope_id" uuid;--> statement-breakpoint
CREATE INDEX "audit_events_scope_id_idx" ON "audit_events" USING btree ("scope_id","at","id") WHERE scope_id is not null;
