-- With each term, how many characters it shares with the person's term before it: a search for more than that does not
-- find the one before, so it need not be looked at. The terms are made anew.
TRUNCATE "admin_terms";--> statement-breakpoint
DROP INDEX "admin_terms_term_idx";--> statement-breakpoint
ALTER TABLE "admin_terms" ADD COLUMN "shared" integer NOT NULL;--> statement-breakpoint
CREATE INDEX "admin_terms_term_idx" ON "admin_terms" USING btree ("role","is_active","shared","term","user_id");--> statement-breakpoint
DROP FUNCTION "admin_terms_of"(text, text);--> statement-breakpoint
CREATE FUNCTION "admin_terms_of"(email text, name text) RETURNS TABLE (term text, shared int) LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
	words text[] := regexp_split_to_array(lower(btrim(name)), '\s+');
	before text;
BEGIN
	FOR term IN
		SELECT lower(email) COLLATE "C"
		UNION
		SELECT array_to_string(words[place:], ' ') COLLATE "C" FROM generate_subscripts(words, 1) AS place
		ORDER BY 1
	LOOP
		shared := 0;
		WHILE left(before, shared + 1) = left(term, shared + 1) LOOP
			shared := shared + 1;
		END LOOP;
		RETURN NEXT;
		before := term;
	END LOOP;
END
$$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION "admin_keep_terms"() RETURNS trigger LANGUAGE plpgsql AS $$
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
	INSERT INTO admin_terms (user_id, term, shared, role, is_active)
	SELECT NEW.id, term, shared, NEW.role, NEW.suspended_at IS NULL FROM admin_terms_of(NEW.email, NEW.name);
	RETURN NULL;
END
$$;--> statement-breakpoint
INSERT INTO "admin_terms" ("user_id", "term", "shared", "role", "is_active") SELECT "id", "term", "shared", "role", "suspended_at" IS NULL FROM "users", "admin_terms_of"("email", "name");
