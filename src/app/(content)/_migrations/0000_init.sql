CREATE TABLE "content_covers" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"post_id" uuid NOT NULL,
	"data" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "content_posts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"author_id" uuid,
	"version" integer DEFAULT 1 NOT NULL,
	"status" text DEFAULT 'draft' NOT NULL,
	"draft" integer DEFAULT 1 NOT NULL,
	"title" text NOT NULL,
	"scheduled" integer,
	"scheduled_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "content_previews" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"post_id" uuid NOT NULL,
	"created_by" uuid NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "content_published" (
	"post_id" uuid PRIMARY KEY NOT NULL,
	"number" integer NOT NULL,
	"slug" text NOT NULL,
	"title" text NOT NULL,
	"summary" text NOT NULL,
	"html" text NOT NULL,
	"tags" text[] NOT NULL,
	"cover_id" uuid,
	"published_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"search" "tsvector" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "content_revisions" (
	"post_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"author_id" uuid,
	"is_open" boolean DEFAULT true NOT NULL,
	"is_aside" boolean DEFAULT false NOT NULL,
	"restored_from" integer,
	"title" text NOT NULL,
	"slug" text NOT NULL,
	"summary" text NOT NULL,
	"body" text NOT NULL,
	"tags" text[] NOT NULL,
	"cover_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "content_revisions_pkey" PRIMARY KEY("post_id","number")
);
--> statement-breakpoint
CREATE TABLE "content_slugs" (
	"slug" text PRIMARY KEY NOT NULL,
	"post_id" uuid NOT NULL
);
--> statement-breakpoint
CREATE TABLE "content_tags" (
	"tag" text NOT NULL,
	"published_at" timestamp (3) with time zone NOT NULL,
	"post_id" uuid NOT NULL,
	CONSTRAINT "content_tags_pkey" PRIMARY KEY("tag","published_at","post_id")
);
--> statement-breakpoint
ALTER TABLE "content_covers" ADD CONSTRAINT "content_covers_post_id_content_posts_id_fk" FOREIGN KEY ("post_id") REFERENCES "public"."content_posts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "content_posts" ADD CONSTRAINT "content_posts_author_id_users_id_fk" FOREIGN KEY ("author_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "content_previews" ADD CONSTRAINT "content_previews_post_id_content_posts_id_fk" FOREIGN KEY ("post_id") REFERENCES "public"."content_posts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "content_previews" ADD CONSTRAINT "content_previews_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "content_published" ADD CONSTRAINT "content_published_post_id_content_posts_id_fk" FOREIGN KEY ("post_id") REFERENCES "public"."content_posts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "content_published" ADD CONSTRAINT "content_published_revision_fk" FOREIGN KEY ("post_id","number") REFERENCES "public"."content_revisions"("post_id","number") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "content_revisions" ADD CONSTRAINT "content_revisions_post_id_content_posts_id_fk" FOREIGN KEY ("post_id") REFERENCES "public"."content_posts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "content_revisions" ADD CONSTRAINT "content_revisions_author_id_users_id_fk" FOREIGN KEY ("author_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "content_slugs" ADD CONSTRAINT "content_slugs_post_id_content_posts_id_fk" FOREIGN KEY ("post_id") REFERENCES "public"."content_posts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "content_tags" ADD CONSTRAINT "content_tags_post_id_content_published_post_id_fk" FOREIGN KEY ("post_id") REFERENCES "public"."content_published"("post_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "content_covers_post_id_idx" ON "content_covers" USING btree ("post_id");--> statement-breakpoint
CREATE INDEX "content_posts_updated_at_idx" ON "content_posts" USING btree ("updated_at","id");--> statement-breakpoint
CREATE INDEX "content_posts_status_idx" ON "content_posts" USING btree ("status","updated_at","id");--> statement-breakpoint
CREATE INDEX "content_posts_scheduled_at_idx" ON "content_posts" USING btree ("scheduled_at") WHERE scheduled_at is not null;--> statement-breakpoint
CREATE INDEX "content_posts_author_id_idx" ON "content_posts" USING btree ("author_id","updated_at","id");--> statement-breakpoint
CREATE INDEX "content_previews_post_id_idx" ON "content_previews" USING btree ("post_id");--> statement-breakpoint
CREATE INDEX "content_previews_created_by_idx" ON "content_previews" USING btree ("created_by");--> statement-breakpoint
CREATE UNIQUE INDEX "content_published_slug_key" ON "content_published" USING btree ("slug");--> statement-breakpoint
CREATE INDEX "content_published_published_at_idx" ON "content_published" USING btree ("published_at","post_id");--> statement-breakpoint
CREATE INDEX "content_published_search_idx" ON "content_published" USING gin ("search");--> statement-breakpoint
CREATE INDEX "content_revisions_author_id_idx" ON "content_revisions" USING btree ("author_id");--> statement-breakpoint
CREATE INDEX "content_slugs_post_id_idx" ON "content_slugs" USING btree ("post_id");--> statement-breakpoint
CREATE INDEX "content_tags_post_id_idx" ON "content_tags" USING btree ("post_id");