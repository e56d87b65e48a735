import { Avatar } from '@/core/ui/surface'
import { logoUrl } from '../logos'

/** The logo of an organization, or its initials. Square, so that it does not look like a user. */
export const OrganizationMark = ({
  organization: { id, name, logoId },
  className = 'size-7',
}: {
  organization: { id: string; name: string; logoId?: string | null }
  className?: string
}) => <Avatar id={id} name={name} image={logoUrl(logoId ?? null)} className={`rounded-md ${className}`} />
