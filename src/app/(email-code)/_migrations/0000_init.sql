CREATE TABLE "email_code_failures" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"failures" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "email_code_requests" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid,
	"browser_hash" "bytea" NOT NULL,
	"link_hash" "bytea" NOT NULL,
	"email" text NOT NULL,
	"next" text NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "email_code_failures" ADD CONSTRAINT "email_code_failures_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "email_code_requests" ADD CONSTRAINT "email_code_requests_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "email_code_requests_browser_hash_key" ON "email_code_requests" USING btree ("browser_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "email_code_requests_link_hash_key" ON "email_code_requests" USING btree ("link_hash");--> statement-breakpoint
CREATE INDEX "email_code_requests_user_id_idx" ON "email_code_requests" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "email_code_requests_expires_at_idx" ON "email_code_requests" USING btree ("expires_at");