-- Of a revision that is closed, nothing changes but its author, who may have left.
CREATE FUNCTION "content_keep_revision"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT OLD.is_open AND to_jsonb(NEW) - 'author_id' IS DISTINCT FROM to_jsonb(OLD) - 'author_id' THEN
    RAISE EXCEPTION 'revision % of post % is closed', OLD.number, OLD.post_id;
  END IF;
  RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "content_keep_revision" BEFORE UPDATE ON "content_revisions"
  FOR EACH ROW EXECUTE FUNCTION "content_keep_revision"();--> statement-breakpoint
-- What fits best, of the newest two hundred that fit at all: looked for among the newest three hundred posts, and among two
-- thousand that the index names. Where there are very many posts, the index is left alone when the newest are enough: it
-- would name half of them for a word that half of them have.
CREATE FUNCTION "content_search"(language regconfig, words text, most integer) RETURNS SETOF uuid
LANGUAGE sql STABLE ROWS 20 SET enable_seqscan = off SET jit = off AS $$
  WITH newest AS (
    SELECT post_id, published_at, search FROM content_published ORDER BY published_at DESC, post_id DESC LIMIT 300
  ), among_newest AS MATERIALIZED (
    SELECT post_id, published_at FROM newest WHERE search @@ plainto_tsquery(language, words)
  ), found AS MATERIALIZED (
    SELECT post_id, published_at FROM among_newest
    UNION
    (SELECT post_id, published_at FROM content_published WHERE search @@ plainto_tsquery(language, words)
      AND ((SELECT count(*) FROM among_newest) < most
        OR (SELECT reltuples FROM pg_class WHERE oid = 'content_published'::regclass) < 20000) LIMIT 2000)
  ), latest AS (
    SELECT post_id FROM found ORDER BY published_at DESC, post_id DESC LIMIT 200
  )
  SELECT post_id FROM latest JOIN content_published USING (post_id)
  ORDER BY ts_rank(search, plainto_tsquery(language, words)) DESC, published_at DESC, post_id LIMIT most
$$;
