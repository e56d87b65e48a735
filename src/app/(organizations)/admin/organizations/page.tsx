import { Building2, Ellipsis, Search, ShieldUser, Trash2 } from 'lucide-react'
import Link from 'next/link'
import { z } from 'zod'
import { requirePermission } from '@/core/auth/session/actor'
import { AppShell } from '@/core/ui/app-shell'
import { Button, buttonVariants } from '@/core/ui/button'
import { Input } from '@/core/ui/input'
import { Menu, menuItemClass } from '@/core/ui/menu'
import { Page } from '@/core/ui/page'
import { pathWithQuery } from '@/core/ui/path-with-query'
import { RelativeTime } from '@/core/ui/relative-time'
import { EmptyState } from '@/core/ui/surface'
import { Table, TableBody, TableCell, TableHead, TableHeading, TableRow } from '@/core/ui/table'
import { OrganizationsToast } from '../../_components/organizations-toast'
import { formatCount } from '../../format-count'
import { listOrganizations } from '../../organizations'
import { can } from '../../policy'

export const metadata = { title: 'Organizations' }

const Query = z.object({
  search: z
    .string()
    .trim()
    .max(100)
    .refine((text) => text !== '' && !text.includes('\0'))
    .optional()
    .catch(undefined),
  before: z
    .templateLiteral([z.iso.datetime(), '_', z.uuid()])
    // PostgreSQL has no year 0.
    .refine((text) => !text.startsWith('0000'))
    .optional()
    .catch(undefined),
})

/** Names and numbers: an admin of the app sees nothing that is in an organization. */
export default async function AllOrganizationsPage({ searchParams }: PageProps<'/admin/organizations'>) {
  await requirePermission(can('organizations.manage'), '/admin/organizations')
  const query = Query.parse(await searchParams)
  const { organizations, older } = await listOrganizations(query)
  return (
    <AppShell>
      <Page title="Organizations" lead="All organizations in this app.">
        <search className="mb-3 block">
          <form action="/admin/organizations" className="flex gap-2">
            <Input
              type="search"
              name="search"
              aria-label="Search organizations"
              placeholder="Search organizations"
              defaultValue={query.search}
              maxLength={100}
              data-slot="page-search"
              className="max-w-64"
            />
            <Button type="submit" variant="outline">
              <Search aria-hidden="true" />
              Search
            </Button>
          </form>
        </search>
        {organizations.length === 0 ? (
          <EmptyState icon={Building2} title={query.search ? 'No organizations found' : 'No organizations yet'}>
            {query.search ? 'Try another name.' : 'Users create organizations themselves.'}
          </EmptyState>
        ) : (
          <Table label="Organizations" isList>
            <TableHead>
              <tr>
                <TableHeading>Name</TableHeading>
                <TableHeading>Members</TableHeading>
                <TableHeading>Created</TableHeading>
                <TableHeading className="w-12">
                  <span className="sr-only">Actions</span>
                </TableHeading>
              </tr>
            </TableHead>
            <TableBody>
              {organizations.map(({ id, name, slug, memberCount, createdAt }) => (
                <TableRow key={id} className="max-sm:grid-cols-[minmax(0,1fr)_auto_auto]!">
                  <TableCell className="wrap-anywhere">
                    <span className="block font-medium">{name}</span>
                    <span className="block text-muted-foreground text-xs">{slug}</span>
                  </TableCell>
                  <TableCell>{formatCount(memberCount)}</TableCell>
                  <TableCell data-hide="phone" className="whitespace-nowrap text-muted-foreground">
                    <RelativeTime at={createdAt} />
                  </TableCell>
                  <TableCell>
                    <Menu
                      id={`organization-${id}`}
                      label={`Actions for ${name}`}
                      trigger={<Ellipsis aria-hidden="true" />}
                      triggerClassName={buttonVariants({ variant: 'ghost', size: 'icon', className: 'max-sm:size-11' })}
                    >
                      <Link href={`/admin/organizations/${id}/appoint`} prefetch={false} className={menuItemClass()}>
                        <ShieldUser aria-hidden="true" strokeWidth={1.75} />
                        Appoint admin…
                      </Link>
                      <Link
                        href={`/admin/organizations/${id}/delete`}
                        prefetch={false}
                        className={menuItemClass({ isDanger: true })}
                      >
                        <Trash2 aria-hidden="true" strokeWidth={1.75} />
                        Delete…
                      </Link>
                    </Menu>
                  </TableCell>
                </TableRow>
              ))}
            </TableBody>
          </Table>
        )}
        {older && (
          <p className="mt-3">
            <Link
              href={pathWithQuery('/admin/organizations', { search: query.search, before: older })}
              prefetch={false}
              className={buttonVariants({ variant: 'outline', size: 'small' })}
            >
              Older organizations
            </Link>
          </p>
        )}
      </Page>
      <OrganizationsToast />
    </AppShell>
  )
}
