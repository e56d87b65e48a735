DROP TABLE IF EXISTS "email_code_requests", "email_code_failures";
