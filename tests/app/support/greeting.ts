import type { Locator, Page } from '@playwright/test'

/** The heading of the dashboard. With JavaScript it depends on the time of day. */
export const greeting = (page: Page, name: string): Locator =>
  page.getByRole('heading', { level: 1, name: new RegExp(`^(Hello|Good (morning|afternoon|evening)), ${name}`) })
