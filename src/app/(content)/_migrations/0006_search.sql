-- For words that very many posts have, the index returns all of those posts, however few are wanted. The statistics of PostgreSQL
-- know the thousand most frequent words: for them, the newest thousand posts are read instead, in the order of their dates.
CREATE OR REPLACE FUNCTION "content_search"(language regconfig, words text, most integer) RETURNS SETOF uuid
LANGUAGE sql STABLE ROWS 20 SET enable_seqscan = off SET jit = off AS $$
  WITH frequent AS (
    SELECT unnest(most_common_elems::text::text[]) AS word, unnest(most_common_elem_freqs) AS share
    FROM pg_stats WHERE schemaname = current_schema() AND tablename = 'content_published' AND attname = 'search'
  ), expected AS MATERIALIZED (
    SELECT min(coalesce(share, 0)) * (SELECT reltuples FROM pg_class WHERE oid = 'content_published'::regclass) AS matches
    FROM unnest(tsvector_to_array(to_tsvector(language, words))) AS asked (word) LEFT JOIN frequent USING (word)
  ), newest AS (
    SELECT post_id, published_at, search FROM content_published ORDER BY published_at DESC, post_id DESC
    LIMIT (SELECT CASE WHEN matches > 1000 THEN 1000 ELSE 300 END FROM expected)
  ), among_newest AS MATERIALIZED (
    SELECT post_id, published_at FROM newest WHERE search @@ plainto_tsquery(language, words)
    ORDER BY published_at DESC, post_id DESC LIMIT 200
  ), found AS MATERIALIZED (
    SELECT post_id, published_at FROM among_newest
    UNION
    (SELECT post_id, published_at FROM content_published WHERE search @@ plainto_tsquery(language, words)
      AND ((SELECT count(*) FROM among_newest) < most
        OR (SELECT reltuples FROM pg_class WHERE oid = 'content_published'::regclass) < 20000) LIMIT 1000)
  ), latest AS (
    SELECT post_id FROM found ORDER BY published_at DESC, post_id DESC LIMIT 200
  )
  SELECT post_id FROM latest JOIN content_published USING (post_id)
  ORDER BY ts_rank(search, plainto_tsquery(language, words)) DESC, published_at DESC, post_id LIMIT most
$$;
