-- Rows of other modules that belong to an organization go with it.
DO $$ DECLARE gone int; BEGIN
	IF to_regclass('organizations_organizations') IS NULL THEN RETURN; END IF;
	DELETE FROM scopes WHERE id IN (SELECT id FROM organizations_organizations);
	GET DIAGNOSTICS gone = ROW_COUNT;
	RAISE NOTICE '% organizations deleted, with the rows that belonged to them', gone;
END $$;--> statement-breakpoint
DROP TABLE IF EXISTS "organizations_logos", "organizations_invitations", "organizations_members", "organizations_slugs", "organizations_organizations";--> statement-breakpoint
DROP FUNCTION IF EXISTS "organizations_keep_an_admin"();
