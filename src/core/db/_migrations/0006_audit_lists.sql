-- no transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "audit_events_kind_idx" ON "audit_events" USING btree ("kind","id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "audit_events_at_idx" ON "audit_events" USING btree ("at");
