import { SiteHeader } from '@/core/ui/site-header'
import { Badge } from '@/core/ui/surface'
import { Table, TableBody, TableCell, TableHead, TableHeading, TableRow } from '@/core/ui/table'
import { EditorLink } from '../editor-link'
import { type AppRoute, findRoutes } from './find-routes'

export const metadata = { title: 'Routes' }

/** Every URL of the app, with the file behind it. */
export default function RoutesPage() {
  const routes = findRoutes()
  return (
    <>
      <SiteHeader />
      <main id="main" className="mx-auto grid max-w-5xl grid-cols-1 gap-8 px-4 py-12 sm:px-6">
        <div className="grid gap-2">
          <h1 className="font-semibold text-3xl">Routes</h1>
          <p className="text-muted-foreground">Every page and endpoint. A link in the last column opens your editor.</p>
        </div>
        <Table label="Routes">
          <TableHead>
            <tr>
              <TableHeading>URL</TableHeading>
              <TableHeading>Kind</TableHeading>
              <TableHeading>Module</TableHeading>
              <TableHeading>File</TableHeading>
            </tr>
          </TableHead>
          <TableBody>
            {routes.map((route) => (
              <TableRow key={route.file}>
                <TableCell className="whitespace-nowrap">
                  <RouteUrl route={route} />
                </TableCell>
                <TableCell className="whitespace-nowrap">
                  {route.kind === 'page' ? 'Page' : 'Endpoint'}{' '}
                  {route.isDevelopment && <Badge tone="warning">Development</Badge>}
                </TableCell>
                <TableCell>{route.owner}</TableCell>
                <TableCell>
                  <EditorLink path={route.file} />
                </TableCell>
              </TableRow>
            ))}
          </TableBody>
        </Table>
      </main>
    </>
  )
}

/** A link, unless the URL has parameters or is no page. */
function RouteUrl({ route: { url, kind } }: { route: AppRoute }) {
  if (kind !== 'page' || url.includes('[')) return <span className="font-mono text-xs">{url}</span>
  return (
    <a href={url} className="font-mono text-xs underline underline-offset-4">
      {url}
    </a>
  )
}
