import { env } from '../env'

/** The absolute URL of a path. Not for static pages: the build may not know the origin. */
export const absoluteUrl = (path: string) => new URL(path, env.AUTH_URL).href

/**
 * The origin for tags that need an absolute URL: the canonical link, the image of shared links. A static page is rendered by
 * the build and has them only if AUTH_URL is set there. Null for http: a build on a developer's machine must not name it.
 */
export function publicOrigin(): URL | null {
  const origin = new URL(env.AUTH_URL)
  return origin.protocol === 'https:' ? origin : null
}
