import { Avatar } from '@/core/ui/surface'

/** The author of a post or version in a list; they may be deleted. */
export function Author({ id, name, image }: { id: string | null; name: string | null; image: string | null }) {
  if (!id || !name) return <span className="text-muted-foreground">Deleted user</span>
  return (
    <span className="flex items-center gap-2.5">
      <Avatar id={id} name={name} image={image} className="size-6 text-[0.625rem]" />
      <span className="max-w-40 truncate">{name}</span>
    </span>
  )
}
