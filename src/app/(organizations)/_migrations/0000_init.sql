CREATE TABLE "organizations_invitations" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"scope_id" uuid DEFAULT coalesce(scope_id(), '00000000-0000-0000-0000-000000000000'::uuid) NOT NULL,
	"email" text NOT NULL,
	"role" text NOT NULL,
	"token_hash" "bytea",
	"invited_by" uuid,
	"sent_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"accepted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "organizations_logos" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"organization_id" uuid NOT NULL,
	"data" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "organizations_members" (
	"scope_id" uuid DEFAULT coalesce(scope_id(), '00000000-0000-0000-0000-000000000000'::uuid) NOT NULL,
	"user_id" uuid NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "organizations_members_pkey" PRIMARY KEY("scope_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "organizations_organizations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"slug" text NOT NULL,
	"logo_id" uuid,
	"created_by" uuid,
	"deleted_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "organizations_slugs" (
	"slug" text PRIMARY KEY NOT NULL,
	"organization_id" uuid,
	"freed_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "organizations_invitations" ADD CONSTRAINT "organizations_invitations_scope_id_scopes_id_fk" FOREIGN KEY ("scope_id") REFERENCES "public"."scopes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organizations_invitations" ADD CONSTRAINT "organizations_invitations_invited_by_users_id_fk" FOREIGN KEY ("invited_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organizations_invitations" ADD CONSTRAINT "organizations_invitations_organization_fk" FOREIGN KEY ("scope_id") REFERENCES "public"."organizations_organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organizations_logos" ADD CONSTRAINT "organizations_logos_organization_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations_organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organizations_members" ADD CONSTRAINT "organizations_members_scope_id_scopes_id_fk" FOREIGN KEY ("scope_id") REFERENCES "public"."scopes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organizations_members" ADD CONSTRAINT "organizations_members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organizations_members" ADD CONSTRAINT "organizations_members_organization_fk" FOREIGN KEY ("scope_id") REFERENCES "public"."organizations_organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organizations_organizations" ADD CONSTRAINT "organizations_organizations_id_scopes_id_fk" FOREIGN KEY ("id") REFERENCES "public"."scopes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organizations_organizations" ADD CONSTRAINT "organizations_organizations_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organizations_slugs" ADD CONSTRAINT "organizations_slugs_organization_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations_organizations"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "organizations_invitations_email_key" ON "organizations_invitations" USING btree ("scope_id","email");--> statement-breakpoint
CREATE UNIQUE INDEX "organizations_invitations_token_key" ON "organizations_invitations" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "organizations_invitations_pending_idx" ON "organizations_invitations" USING btree ("email") WHERE accepted_at is null;--> statement-breakpoint
CREATE INDEX "organizations_invitations_sent_at_idx" ON "organizations_invitations" USING btree ("scope_id","sent_at","id");--> statement-breakpoint
CREATE INDEX "organizations_invitations_invited_by_idx" ON "organizations_invitations" USING btree ("invited_by");--> statement-breakpoint
CREATE INDEX "organizations_logos_organization_id_idx" ON "organizations_logos" USING btree ("organization_id");--> statement-breakpoint
CREATE INDEX "organizations_members_user_id_idx" ON "organizations_members" USING btree ("user_id","scope_id");--> statement-breakpoint
CREATE INDEX "organizations_members_admins_idx" ON "organizations_members" USING btree ("scope_id") WHERE "organizations_members"."role" = 'admin';--> statement-breakpoint
CREATE INDEX "organizations_members_created_at_idx" ON "organizations_members" USING btree ("scope_id","created_at","user_id");--> statement-breakpoint
CREATE INDEX "organizations_members_role_idx" ON "organizations_members" USING btree ("scope_id","role","created_at","user_id");--> statement-breakpoint
CREATE INDEX "organizations_organizations_created_at_idx" ON "organizations_organizations" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "organizations_organizations_created_by_idx" ON "organizations_organizations" USING btree ("created_by");--> statement-breakpoint
CREATE INDEX "organizations_slugs_organization_id_idx" ON "organizations_slugs" USING btree ("organization_id");--> statement-breakpoint
-- An organization that is not deleted keeps at least one admin. The lock makes the last of several transactions see what the others
-- did. As the owner, because row-level security would hide the other admins outside of a scope.
CREATE FUNCTION "organizations_keep_an_admin"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	PERFORM 1 FROM organizations_organizations WHERE id = OLD.scope_id AND deleted_at IS NULL FOR NO KEY UPDATE;
	IF FOUND AND NOT EXISTS (SELECT 1 FROM organizations_members WHERE scope_id = OLD.scope_id AND role = 'admin') THEN
		RAISE EXCEPTION 'an organization must have at least one admin' USING ERRCODE = 'restrict_violation';
	END IF;
	RETURN NULL;
END
$$;--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "organizations_keep_an_admin" AFTER UPDATE OR DELETE ON "organizations_members" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.role = 'admin') EXECUTE FUNCTION "organizations_keep_an_admin"();
