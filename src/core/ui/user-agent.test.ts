import { expect, test } from 'vitest'
import { describeNetwork, describeUserAgent } from './user-agent'

test.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
    'Chrome on Windows',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1',
    'Safari on iPhone',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0', 'Firefox on Linux'],
  ['curl/8.14.1', 'curl'],
  ['<script>', 'Unknown device'],
  [null, 'Unknown device'],
])('%s is described as %s', (userAgent, expected) => {
  expect(describeUserAgent(userAgent)).toBe(expected)
})

test.each([
  [null, '203.0.113.7', 'Unknown location'],
  ['203.0.113.7', '203.0.113.7', '203.0.113.7 · same network as you'],
  ['2001:db8:1:2::5', '2001:db8:1:2::9', '2001:db8:1:2::5 · same network as you'],
  ['192.168.1.20', '203.0.113.7', '192.168.1.20 · private network'],
  ['fd00::1', null, 'fd00::1 · private network'],
  ['198.51.100.1', '203.0.113.7', '198.51.100.1'],
])('%s, seen from %s, is described as: %s', (ip, viewerIp, expected) => {
  expect(describeNetwork(ip, viewerIp)).toBe(expected)
})
