const lines = [
  ['export const publishPost = defineAction({'],
  ['  input: z.object({ id: z.uuid() }),'],
  ['  ', "allow: can('posts.publish'),", ''],
  ['  run: async ({ input, actor }) => {'],
  ['    await publish(input.id, actor.id)'],
  ['  },'],
  ['})'],
]

/** The shape of every action. The middle part of a line, where there is one, is what to look at. */
export function ActionExample() {
  return (
    <figure className="grid min-w-0 content-start gap-3">
      <div className="overflow-hidden rounded-lg border bg-card">
        <p className="border-b bg-muted px-5 py-2.5 font-mono text-muted-foreground text-xs">actions.ts</p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: code that scrolls must be reachable by keyboard */}
        <pre tabIndex={0} className="overflow-x-auto p-5 font-mono text-sm leading-7">
          <code>
            {lines.map(([before, mark, after]) => (
              <span key={before + (mark ?? '')} className="block">
                {before}
                {mark && <strong className="font-semibold text-primary">{mark}</strong>}
                {after}
              </span>
            ))}
          </code>
        </pre>
      </div>
      <figcaption className="text-muted-foreground text-sm">
        Leave the marked line out and it does not compile. Call it without the permission, from any page or none, and it
        refuses before it looks at the input.
      </figcaption>
    </figure>
  )
}
