ALTER TABLE "users" ADD COLUMN "last_seen_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "users_admins_idx" ON "users" USING btree ("id") WHERE "users"."role" = 'admin' and "users"."suspended_at" is null;--> statement-breakpoint
-- Behind the check in src/core/auth/admins.ts, under the same lock, for whoever writes past the app. At the end of the
-- transaction, so that one admin can be put in another's place.
CREATE FUNCTION "keep_an_admin"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_advisory_xact_lock(hashtext('admins'));
	IF NOT EXISTS (SELECT 1 FROM "users" WHERE "role" = 'admin' AND "suspended_at" IS NULL) THEN
		RAISE EXCEPTION 'there must be at least one admin who is not suspended' USING ERRCODE = 'restrict_violation';
	END IF;
	RETURN NULL;
END
$$;--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "users_keep_an_admin" AFTER UPDATE ON "users" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD."role" = 'admin' AND OLD."suspended_at" IS NULL AND (NEW."role" <> 'admin' OR NEW."suspended_at" IS NOT NULL)) EXECUTE FUNCTION "keep_an_admin"();--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "users_keep_an_admin_on_delete" AFTER DELETE ON "users" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD."role" = 'admin' AND OLD."suspended_at" IS NULL) EXECUTE FUNCTION "keep_an_admin"();
