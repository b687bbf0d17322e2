// A private endpoint of one resource, and its name in the network's DNS.
param name string
param location string
param tags object
param resourceId string
@description('Sub-resource: blob, table, account, vault, sqlServer, postgresqlServer.')
param part string
@description('Private DNS zone of the sub-resource, such as privatelink.blob.core.windows.net.')
param zone string
param subnetId string
param networkId string

resource dns 'Microsoft.Network/privateDnsZones@2020-06-01' = {
  name: zone
  location: 'global'
  tags: tags
}

resource link 'Microsoft.Network/privateDnsZones/virtualNetworkLinks@2020-06-01' = {
  parent: dns
  name: uniqueString(networkId)
  location: 'global'
  properties: {
    registrationEnabled: false
    virtualNetwork: { id: networkId }
  }
}

resource endpoint 'Microsoft.Network/privateEndpoints@2024-01-01' = {
  name: 'pe-${name}-${part}'
  location: location
  tags: tags
  properties: {
    subnet: { id: subnetId }
    privateLinkServiceConnections: [
      {
        name: part
        properties: {
          privateLinkServiceId: resourceId
          groupIds: [part]
        }
      }
    ]
  }
}

resource names 'Microsoft.Network/privateEndpoints/privateDnsZoneGroups@2024-01-01' = {
  parent: endpoint
  name: 'default'
  properties: {
    privateDnsZoneConfigs: [
      {
        name: part
        properties: { privateDnsZoneId: dns.id }
      }
    ]
  }
}
