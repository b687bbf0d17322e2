"""How much of what a gold query needs does retrieval show?"""
