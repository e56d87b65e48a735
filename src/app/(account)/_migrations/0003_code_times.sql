-- Codes that exist already count as old: "Secure my account" deletes new ones.
ALTER TABLE "account_recovery_codes" ADD COLUMN "created_at" timestamp (3) with time zone DEFAULT 'epoch' NOT NULL;--> statement-breakpoint
ALTER TABLE "account_recovery_codes" ALTER COLUMN "created_at" SET DEFAULT now();
