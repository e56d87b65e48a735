import { FileText, LogIn, MailPlus, TriangleAlert } from 'lucide-react'
import { roles } from '@/core/auth/roles'
import { Button, buttonVariants } from '@/core/ui/button'
import { CopyButton, CopyIconButton } from '@/core/ui/copy-button'
import { Copyable } from '@/core/ui/copyable'
import { DeviceIcon } from '@/core/ui/device-icon'
import { Facts } from '@/core/ui/facts'
import { Feed, FeedItem } from '@/core/ui/feed'
import { RelativeTime } from '@/core/ui/relative-time'
import { RoleBadge } from '@/core/ui/role-badge'
import { IconTile } from '@/core/ui/settings-page'
import { Stat } from '@/core/ui/stat'
import { Alert, Avatar, Badge, Card, EmptyState, Separator, Skeleton, StatusDot, TitledCard } from '@/core/ui/surface'
import { rowLinkClass, Table, TableBody, TableCell, TableHead, TableHeading, TableRow } from '@/core/ui/table'
import { Segments, Tabs } from '@/core/ui/tabs'
import { Charts } from './charts'
import { Example, Section } from './example'
import { Settings } from './settings'

const users = [
  { id: '3f2a10', name: 'Ada Admin', email: 'admin@example.com', role: 'Admin' },
  { id: 'a1c9e4', name: 'Edith Editor', email: 'editor@example.com', role: 'Editor' },
]
const iPhone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1'

export function DataDisplay() {
  return (
    <Section title="Data">
      <Cards />
      <Charts />
      <Settings />
      <Marks />
      <Navigation />
      <Lists />
      <Messages />
    </Section>
  )
}

function Cards() {
  return (
    <>
      <Example
        name="Card, TitledCard"
        code={
          '<TitledCard title="Name" footer={<Button>Save</Button>}>\n  <div className="px-4.5 pb-4">…</div>\n</TitledCard>'
        }
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <Card>A card groups related content.</Card>
          <TitledCard title="Danger zone" isDanger after="Optional">
            <p className="px-4.5 pt-1 pb-4 text-muted-foreground text-sm">For what can’t be undone.</p>
          </TitledCard>
          <TitledCard
            title="With a footer"
            footer={
              <>
                <span className="flex-1">A hint</span>
                <Button size="small">Save</Button>
              </>
            }
          >
            <p className="px-4.5 pt-1 pb-4 text-muted-foreground text-sm">One setting, its hint and its button.</p>
          </TitledCard>
          <TitledCard title="Facts">
            <Facts
              facts={[
                { label: 'Joined', value: 'Nov 15, 2026' },
                { label: 'Two-factor', value: <Badge tone="success">On</Badge> },
              ]}
            />
          </TitledCard>
        </div>
        <Separator className="my-4" />
        <p className="text-muted-foreground text-sm">A Separator stands above this line.</p>
      </Example>
      <Example
        name="Stat"
        code={
          '<Stat label="New users" value="52" change={{ text: \'62%\', isUp: true, isGood: true, description: \'vs …\' }} />'
        }
      >
        <div className="grid gap-4 sm:grid-cols-3">
          <Stat label="Users" value="1,024" />
          <Stat
            label="New users"
            value="52"
            change={{ text: '62%', isUp: true, isGood: true, description: 'vs previous 30 days' }}
          />
          <Stat
            label="Failed sign-ins"
            value="17"
            change={{ text: '8%', isUp: true, isGood: false, description: 'vs previous 30 days' }}
          />
        </div>
      </Example>
    </>
  )
}

function Marks() {
  return (
    <>
      <Example
        name="Badge, RoleBadge, StatusDot"
        code={'<Badge tone="success">Published</Badge>\n<StatusDot tone="danger">Suspended</StatusDot>'}
      >
        <div className="grid gap-4">
          <div className="flex flex-wrap gap-2">
            {roles.map((role) => (
              <RoleBadge key={role} role={role} />
            ))}
            <Badge tone="success">Published</Badge>
            <Badge tone="warning">Scheduled</Badge>
            <Badge tone="danger">Expired</Badge>
          </div>
          <div className="flex flex-wrap gap-5 text-sm">
            <StatusDot>Draft</StatusDot>
            <StatusDot tone="success">Active</StatusDot>
            <StatusDot tone="warning">Unverified</StatusDot>
            <StatusDot tone="danger">Suspended</StatusDot>
          </div>
        </div>
      </Example>
      <Example
        name="Avatar, DeviceIcon, RelativeTime"
        code={'<Avatar id={user.id} name={user.name} image={user.image} />\n<RelativeTime at={session.lastSeenAt} />'}
      >
        <div className="flex flex-wrap items-center gap-4 text-sm">
          {users.map(({ id, name }) => (
            <Avatar key={id} id={id} name={name} />
          ))}
          <Avatar id="7be021" name="Grace Hopper" className="size-14 text-lg" />
          <IconTile>
            <DeviceIcon userAgent={iPhone} />
          </IconTile>
          <RelativeTime at={new Date('2026-11-15T12:00:00Z')} />
        </div>
      </Example>
      <Example
        name="Copy buttons (they need JavaScript)"
        code={
          '<Copyable>{link}</Copyable>\n<CopyButton text={url}>Copy link</CopyButton>\n<CopyIconButton text={id} label="Copy user ID" className={…} />'
        }
      >
        <div className="flex flex-wrap items-end gap-6">
          <Copyable className="wrap-anywhere font-mono text-sm">npm run dev</Copyable>
          <CopyButton text="npm run dev">Copy link</CopyButton>
          <CopyIconButton
            text="7be021"
            label="Copy user ID"
            className={buttonVariants({ variant: 'ghost', size: 'icon' })}
          />
        </div>
      </Example>
    </>
  )
}

function Navigation() {
  return (
    <>
      <Example
        name="Tabs"
        code={"<Tabs label=\"Posts\" tabs={[{ label: 'All', href: '/content', isCurrent: true, count: 12 }, …]} />"}
      >
        <Tabs
          label="Example of tabs"
          tabs={[
            { label: 'All', href: '#data', isCurrent: true, count: 12 },
            { label: 'Drafts', href: '#controls', isCurrent: false, count: 3 },
            { label: 'Published', href: '#overlays', isCurrent: false },
          ]}
        />
      </Example>
      <Example
        name="Segments"
        code={"<Segments label=\"Period\" options={[{ label: '7 days', href: '?days=7', isCurrent: true }, …]} />"}
      >
        <Segments
          label="Example of segments"
          options={[
            { label: '7 days', href: '#data', isCurrent: false },
            { label: '30 days', href: '#controls', isCurrent: true },
            { label: '90 days', href: '#overlays', isCurrent: false },
          ]}
        />
      </Example>
    </>
  )
}

function Lists() {
  return (
    <>
      <Example
        name="Table (a list on phones)"
        code={
          '<Table label="Users" isList>\n  <TableHead>…</TableHead>\n  <TableBody>\n    <TableRow>\n      <TableCell><Link className={rowLinkClass}>Ada</Link></TableCell>\n      <TableCell data-hide="phone">…'
        }
      >
        <Table label="Example of a table" isList>
          <TableHead>
            <tr>
              <TableHeading aria-sort="ascending">User</TableHeading>
              <TableHeading>Role</TableHeading>
              <TableHeading>Status</TableHeading>
              <TableHeading>Joined</TableHeading>
            </tr>
          </TableHead>
          <TableBody>
            {users.map(({ id, name, email, role }) => (
              <TableRow key={id}>
                <TableCell className="max-sm:col-span-2">
                  <span className="flex items-center gap-3">
                    <Avatar id={id} name={name} />
                    <span className="min-w-0">
                      <a href="#data" className={`block font-medium ${rowLinkClass}`}>
                        {name}
                      </a>
                      <span className="wrap-anywhere block text-muted-foreground">{email}</span>
                    </span>
                  </span>
                </TableCell>
                <TableCell>
                  <Badge>{role}</Badge>
                </TableCell>
                <TableCell data-hide="phone">
                  <StatusDot tone="success">Active</StatusDot>
                </TableCell>
                <TableCell data-hide="phone" className="whitespace-nowrap text-muted-foreground">
                  Nov 15, 2026
                </TableCell>
              </TableRow>
            ))}
          </TableBody>
        </Table>
      </Example>
      <Example
        name="Feed"
        code={'<Feed>\n  <FeedItem icon={LogIn} tone="success" time={…} meta="Chrome on macOS">…</FeedItem>\n</Feed>'}
      >
        <Feed>
          <FeedItem icon={LogIn} tone="success" time="2 hours ago" meta="Chrome on macOS · 192.0.2.7">
            <strong className="font-medium">Ada Admin</strong> signed in with a passkey
          </FeedItem>
          <FeedItem icon={MailPlus} time="Yesterday, 20:14">
            <strong className="font-medium">Ada Admin</strong> invited 3 users as Editor
          </FeedItem>
          <FeedItem icon={TriangleAlert} tone="danger" time="Nov 12">
            5 failed sign-in attempts for <strong className="font-medium">Edith Editor</strong>
          </FeedItem>
        </Feed>
      </Example>
      <Example
        name="EmptyState"
        code={'<EmptyState icon={FileText} title="No posts yet" action={<Button>New post</Button>}>…</EmptyState>'}
      >
        <EmptyState icon={FileText} title="No posts yet" action={<Button size="small">New post</Button>}>
          Create your first post to get started.
        </EmptyState>
      </Example>
      <Example name="Skeleton" code={'<Skeleton className="h-4 w-2/3" />'}>
        <div className="grid gap-3">
          <Skeleton className="h-4 w-2/3" />
          <Skeleton className="h-4 w-full" />
        </div>
      </Example>
    </>
  )
}

function Messages() {
  return (
    <Example name="Alert" code={'<Alert tone="success" title="Saved">Your name was updated.</Alert>'}>
      <div className="grid gap-3">
        <Alert title="Preparing your export">It’ll be ready in a few minutes.</Alert>
        <Alert tone="success" title="Saved">
          Your name was updated.
        </Alert>
        <Alert tone="warning" title="Almost done">
          Confirm your email to finish signing up.
        </Alert>
        <Alert tone="danger" title="This link has expired">
          Reset links work once, for 30 minutes. Request a new one.
        </Alert>
      </div>
    </Example>
  )
}
