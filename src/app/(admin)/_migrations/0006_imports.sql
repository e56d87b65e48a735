CREATE TABLE "admin_import_rows" (
	"import_id" uuid NOT NULL,
	"row" integer NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"role" text,
	"hash" text,
	"problem" text,
	CONSTRAINT "admin_import_rows_pkey" PRIMARY KEY("import_id","row")
);
--> statement-breakpoint
CREATE TABLE "admin_imports" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"file_name" text DEFAULT '' NOT NULL,
	"status" text DEFAULT 'reading' NOT NULL,
	"created_by" uuid,
	"total" integer DEFAULT 0 NOT NULL,
	"with_hash" integer DEFAULT 0 NOT NULL,
	"problems" integer DEFAULT 0 NOT NULL,
	"imported" integer DEFAULT 0 NOT NULL,
	"invited" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "admin_import_rows" ADD CONSTRAINT "admin_import_rows_import_id_admin_imports_id_fk" FOREIGN KEY ("import_id") REFERENCES "public"."admin_imports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "admin_import_rows_email_idx" ON "admin_import_rows" USING btree ("import_id","email") WHERE "admin_import_rows"."problem" is null;--> statement-breakpoint
CREATE INDEX "admin_import_rows_todo_idx" ON "admin_import_rows" USING btree ("import_id","row") WHERE "admin_import_rows"."problem" is null;--> statement-breakpoint
CREATE INDEX "admin_import_rows_problem_idx" ON "admin_import_rows" USING btree ("import_id","row") WHERE "admin_import_rows"."problem" is not null;--> statement-breakpoint
CREATE INDEX "admin_imports_created_at_idx" ON "admin_imports" USING btree ("created_at","id");