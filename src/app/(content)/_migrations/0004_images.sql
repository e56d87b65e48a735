CREATE TABLE "content_image_files" (
	"file_id" uuid NOT NULL,
	"variant" text NOT NULL,
	"image_id" uuid NOT NULL,
	"data" "bytea",
	CONSTRAINT "content_image_files_pkey" PRIMARY KEY("file_id","variant")
);
--> statement-breakpoint
CREATE TABLE "content_image_uses" (
	"post_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"image_id" uuid NOT NULL,
	CONSTRAINT "content_image_uses_pkey" PRIMARY KEY("post_id","number","image_id")
);
--> statement-breakpoint
CREATE TABLE "content_images" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"owner_id" uuid,
	"name" text NOT NULL,
	"alt" text NOT NULL,
	"file_id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"width" integer NOT NULL,
	"height" integer NOT NULL,
	"variants" text[] NOT NULL,
	"unused_since" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "content_image_files" ADD CONSTRAINT "content_image_files_image_id_content_images_id_fk" FOREIGN KEY ("image_id") REFERENCES "public"."content_images"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "content_image_uses" ADD CONSTRAINT "content_image_uses_image_id_content_images_id_fk" FOREIGN KEY ("image_id") REFERENCES "public"."content_images"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "content_image_uses" ADD CONSTRAINT "content_image_uses_revision_fk" FOREIGN KEY ("post_id","number") REFERENCES "public"."content_revisions"("post_id","number") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "content_images" ADD CONSTRAINT "content_images_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "content_image_files_image_id_idx" ON "content_image_files" USING btree ("image_id");--> statement-breakpoint
CREATE INDEX "content_image_uses_image_id_idx" ON "content_image_uses" USING btree ("image_id","post_id");--> statement-breakpoint
CREATE INDEX "content_images_created_at_idx" ON "content_images" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "content_images_owner_id_idx" ON "content_images" USING btree ("owner_id","created_at","id");
