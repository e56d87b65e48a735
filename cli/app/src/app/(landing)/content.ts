import { z } from 'zod'

const Link = z.object({ label: z.string(), href: z.string() })
const Text = z.object({ title: z.string(), text: z.string() })

/** Schema of the JSON response. */
export const Content = z.object({
  title: z.string(),
  lead: z.string(),
  start: Link,
  navigation: z.array(Link),
  featuresTitle: z.string(),
  features: z.array(Text),
  faqTitle: z.string(),
  faq: z.array(z.object({ question: z.string(), answer: z.string() })),
  closing: Text,
  footer: z.string(),
})

/** All texts of the page: replace them with your own. The API serves the same object. */
export const content = {
  title: 'Your product in one line',
  lead: 'Say in a sentence or two for whom it is, and what gets better for them.',
  start: { label: 'Get started', href: '/signin' },
  navigation: [
    { label: 'Features', href: '#features' },
    { label: 'Questions', href: '#faq' },
  ],
  featuresTitle: 'What users get',
  features: [
    { title: 'The first benefit', text: 'What users can do now that they could not do before.' },
    { title: 'The second benefit', text: 'What takes them less time, or costs them less.' },
    { title: 'The third benefit', text: 'What they no longer have to worry about.' },
  ],
  faqTitle: 'Questions',
  faq: [
    { question: 'What does it cost?', answer: 'Name the price, or say where to find it.' },
    { question: 'Where is my data?', answer: 'Say where it is stored, and who can read it.' },
    { question: 'How do I get help?', answer: 'Name an email address, and how long an answer takes.' },
  ],
  closing: { title: 'Ready to try it?', text: 'Say what happens after a click on the button.' },
  footer: 'One sentence about the company.',
} as const
