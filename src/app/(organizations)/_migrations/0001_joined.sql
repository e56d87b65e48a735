DROP INDEX "organizations_members_user_id_idx";--> statement-breakpoint
CREATE INDEX "organizations_members_joined_idx" ON "organizations_members" USING btree ("user_id","created_at","scope_id");