CREATE TABLE "admin_days" (
	"day" date NOT NULL,
	"kind" text NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "admin_days_pkey" PRIMARY KEY("day","kind")
);
