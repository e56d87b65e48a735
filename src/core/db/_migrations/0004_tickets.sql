ALTER TABLE "tokens" DROP CONSTRAINT "tokens_subject_check";--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "email" text;--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_subject_check" CHECK (num_nonnulls("tokens"."user_id", "tokens"."signup_id") <= 1);