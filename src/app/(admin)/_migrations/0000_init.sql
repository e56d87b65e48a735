CREATE TABLE "admin_terms" (
	"user_id" uuid NOT NULL,
	"term" text COLLATE "C" NOT NULL,
	"role" text NOT NULL,
	"is_active" boolean NOT NULL,
	CONSTRAINT "admin_terms_pkey" PRIMARY KEY("user_id","term")
);
--> statement-breakpoint
ALTER TABLE "admin_terms" ADD CONSTRAINT "admin_terms_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "admin_terms_term_idx" ON "admin_terms" USING btree ("role","is_active","term","user_id");--> statement-breakpoint
-- An address, and the name from each of its words on: "ada lovelace", "lovelace".
CREATE FUNCTION "admin_terms_of"(email text, name text) RETURNS SETOF text LANGUAGE sql IMMUTABLE AS $$
	SELECT lower(email)
	UNION
	SELECT array_to_string(words[place:], ' ')
	FROM (SELECT regexp_split_to_array(lower(btrim(name)), '\s+') AS words) AS split, generate_subscripts(words, 1) AS place
$$;--> statement-breakpoint
CREATE FUNCTION "admin_keep_terms"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	-- The table can be dropped once the module is gone; people must not notice.
	IF to_regclass('admin_terms') IS NULL THEN
		RETURN NULL;
	END IF;
	IF TG_OP = 'UPDATE' THEN
		IF NEW.email = OLD.email AND NEW.name = OLD.name THEN
			UPDATE admin_terms SET role = NEW.role, is_active = NEW.suspended_at IS NULL WHERE user_id = NEW.id;
			RETURN NULL;
		END IF;
		DELETE FROM admin_terms WHERE user_id = NEW.id;
	END IF;
	INSERT INTO admin_terms (user_id, term, role, is_active)
	SELECT NEW.id, term, NEW.role, NEW.suspended_at IS NULL FROM admin_terms_of(NEW.email, NEW.name) AS term;
	RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER "admin_keep_terms" AFTER INSERT OR UPDATE OF "email", "name", "role", "suspended_at" ON "users" FOR EACH ROW EXECUTE FUNCTION "admin_keep_terms"();--> statement-breakpoint
INSERT INTO "admin_terms" ("user_id", "term", "role", "is_active") SELECT "id", "term", "role", "suspended_at" IS NULL FROM "users", "admin_terms_of"("email", "name") AS "term";
