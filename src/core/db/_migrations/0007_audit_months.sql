-- The log by months: a month that is not wanted any more is dropped as a whole, and what is asked for by time looks only at
-- its months. What there is becomes the first part, up to the end of this month.
ALTER TABLE "audit_events" RENAME TO "audit_events_first";--> statement-breakpoint
ALTER TABLE "audit_events_first" ALTER COLUMN "id" DROP IDENTITY;--> statement-breakpoint
ALTER TABLE "audit_events_first" DROP CONSTRAINT "audit_events_pkey";--> statement-breakpoint
DROP INDEX "audit_events_at_idx", "audit_events_actor_id_idx", "audit_events_target_id_idx", "audit_events_kind_idx";--> statement-breakpoint
CREATE SEQUENCE "audit_events_id_seq";--> statement-breakpoint
SELECT setval('audit_events_id_seq', (SELECT coalesce(max("id"), 0) + 1 FROM "audit_events_first"), false);--> statement-breakpoint
CREATE TABLE "audit_events" (
	"id" bigint DEFAULT nextval('audit_events_id_seq') NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"kind" text NOT NULL,
	"actor_id" uuid,
	"target_id" uuid,
	"ip" "inet",
	"user_agent" text,
	"details" jsonb,
	CONSTRAINT "audit_events_pkey" PRIMARY KEY("at","id")
) PARTITION BY RANGE ("at");--> statement-breakpoint
ALTER SEQUENCE "audit_events_id_seq" OWNED BY "audit_events"."id";--> statement-breakpoint
CREATE INDEX "audit_events_actor_id_idx" ON "audit_events" USING btree ("actor_id","at","id");--> statement-breakpoint
CREATE INDEX "audit_events_target_id_idx" ON "audit_events" USING btree ("target_id","at","id");--> statement-breakpoint
CREATE INDEX "audit_events_kind_idx" ON "audit_events" USING btree ("kind","at","id");--> statement-breakpoint
CREATE TRIGGER "audit_events_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_events" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();--> statement-breakpoint
-- The first of a month, in UTC, so many months from now.
CREATE FUNCTION "audit_month"(months int) RETURNS timestamptz LANGUAGE sql STABLE AS $$
	SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => months)) AT TIME ZONE 'UTC'
$$;--> statement-breakpoint
DO $$
BEGIN
	EXECUTE format(
		'ALTER TABLE audit_events ATTACH PARTITION audit_events_first FOR VALUES FROM (MINVALUE) TO (%L)',
		greatest(audit_month(1), (SELECT max("at") + interval '1 millisecond' FROM audit_events_first))
	);
END
$$;--> statement-breakpoint
-- Where a row goes when nobody has made its month in time: it must never be lost.
CREATE TABLE "audit_events_rest" PARTITION OF "audit_events" DEFAULT;--> statement-breakpoint
CREATE TRIGGER "audit_events_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_events_rest" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();--> statement-breakpoint
-- Makes the months to come. The worker calls it every hour; a month that has rows among the rest stays there.
CREATE FUNCTION "audit_prepare"(ahead int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	made int := 0;
	part text;
BEGIN
	FOR month IN 0..ahead LOOP
		part := 'audit_events_' || to_char(audit_month(month) AT TIME ZONE 'UTC', 'YYYY_MM');
		CONTINUE WHEN to_regclass(part) IS NOT NULL;
		BEGIN
			EXECUTE format('CREATE TABLE %I (LIKE audit_events INCLUDING DEFAULTS)', part);
			EXECUTE format('ALTER TABLE audit_events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', part, audit_month(month), audit_month(month + 1));
			EXECUTE format('CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', part);
			made := made + 1;
		EXCEPTION WHEN invalid_object_definition OR check_violation THEN
			NULL;
		END;
	END LOOP;
	RETURN made;
END
$$;--> statement-breakpoint
-- Drops the months that ended so many months ago, or earlier. Returns how many.
CREATE FUNCTION "audit_forget"(months int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	dropped int := 0;
	part regclass;
BEGIN
	FOR part IN
		SELECT inhrelid::regclass FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
		WHERE inhparent = 'audit_events'::regclass
			AND substring(pg_get_expr(relpartbound, inhrelid) FROM 'TO \(''([^'']+)''\)')::timestamptz <= audit_month(-months)
	LOOP
		EXECUTE format('DROP TABLE %s', part);
		dropped := dropped + 1;
	END LOOP;
	RETURN dropped;
END
$$;--> statement-breakpoint
SELECT "audit_prepare"(3);
