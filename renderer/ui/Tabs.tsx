import type { ReactNode } from 'react'
import { Tabs as Group, Tab, TabList, TabPanel } from 'react-aria-components'

interface TabItem<Id extends string> {
  readonly id: Id
  readonly title: string
  /** Shown and announced with the title. */
  readonly count?: number
  readonly content: ReactNode
}

interface TabsProps<Id extends string> {
  readonly label: string
  readonly tabs: readonly TabItem<Id>[]
  readonly selected?: Id
  readonly onSelect?: (id: Id) => void
}

/** Tabs: arrow keys between them, one Tab stop. Uncontrolled without `selected`. */
export function Tabs<Id extends string>({ label, tabs, selected, onSelect }: TabsProps<Id>) {
  return (
    <Group
      className="tabs"
      {...(selected === undefined ? {} : { selectedKey: selected })}
      onSelectionChange={(key) => onSelect?.(key as Id)}
    >
      <TabList className="tab-list" aria-label={label}>
        {tabs.map(({ id, title, count }) => (
          <Tab key={id} id={id} className="tab">
            {title}
            {count !== undefined && <span className="tab-count number">{count}</span>}
          </Tab>
        ))}
      </TabList>
      {tabs.map(({ id, content }) => (
        <TabPanel key={id} id={id} className="tab-panel">
          {content}
        </TabPanel>
      ))}
    </Group>
  )
}
